/* author_commands.c: the table of the commands for authors of lessons. */
#include "author/author.h"
#include "command.h"

const struct command author_commands[] = {
    {"check-lessons", 13, "For authors", "[N [NAME=VALUE...]]", "check lessons against their own claims",
     "Reads every lesson (those of --lessons, where that is given), runs every step with\n"
     "its defaults and reports what does not agree: a wrong answer, a number that a text\n"
     "names and the run lacks, a sentence whose \"fewer\" or \"twice\" its numbers do not\n"
     "bear out, a question without exactly one right answer, a missing or unused file.\n"
     "Of a step that fails it shows the run. With settings it runs the steps of one\n"
     "lesson with these, where a step allows them.\n"
     "\n"
     "Example:  check-lessons 1\n"
     "          check-lessons 2 n=999\n",
     lesson_check_run, lesson_complete_numbers},
    {"new-lesson", 0, "For authors", "NAME [DIR]", "a lesson that runs, to be changed into yours",
     "Writes a folder NN-NAME, here or in DIR: a lesson of two steps and an exercise,\n"
     "with comments that say what each line is for, and prints what to type next. NAME\n"
     "may begin with a number (30-saxpy); else it gets the next free one from 20 on.\n"
     "\n"
     "Example:  new-lesson saxpy\n",
     new_lesson_run, NULL},
    {"watch-lesson", 0, "For authors", "[N[.STEP]]", "run steps again whenever you save",
     "Runs the lesson's steps now, and each time one of its files is saved those that\n"
     "the change concerns: of a kernel the steps that run it, of lesson.txt those whose\n"
     "lines changed. Without N: the first lesson of --lessons. Ctrl-C ends it.\n"
     "\n"
     "Example:  watch-lesson 20.v2\n",
     lesson_watch_run, lesson_complete_numbers},
    {0},
};
