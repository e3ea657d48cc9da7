# Five kinds of job are run: a step of a lesson, a kernel of one's own, a launch that was kept from a
# program, a whole program, and a program that answers an exercise (repl/run/job.h). Only a kind's own
# file knows that it is that kind. Everybody else asks for a fact or an operation by its name. This
# test counts who asks which kind it is: by a member that only one kind has, by what the lesson's file
# says (step_program), by naming a kind or comparing two, or by reading its data.
#
# May ask: a kind's own file; job.c, which chooses the kind of a step; the file of a room above run/
# that has the operations which need that room; course/, which reads and writes what a lesson's file says.
. tests/cases.sh
may='repl/course/.*|repl/run/job(_[a-z]*)?\.[ch]|repl/session/session_job\.[ch]|repl/view/view_job\.[ch]'
asks='\bstep_program\('
asks="$asks|[=!]= *ACT_PROGRAM\\b"
asks="$asks|(->|\\.)snapshot\\b"
asks="$asks|\\b(q|request|k->q)(->|\\.)(own|answer)\\b"
asks="$asks|\\b(r|before|r\\[i\\])->program\\b"
asks="$asks|\\bjob_(lesson|own|launch|program|answer)\\b([^.]|\$)"
asks="$asks|\\bjob(->|\\.)data\\b|\\)->kind *[=!]="
none "asks for the kind of a job" "$(grep -rnE --include='*.[ch]' --include='*.def' "$asks" repl | grep -vE "^($may):")"
# That finds what it is there for.
for line in 'if (q->own) x();' 'return s->snapshot != NULL;' 'kind == &job_own' 'if (r->program)' 'step_program(s)' \
    'step_job(s)->kind == step_job(t)->kind' 'q->job.data'; do
    echo "$line" | grep -qE "$asks"; ok $? "is not found: $line"
done
finish
