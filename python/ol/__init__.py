"""The course runner: `ol start`, `ol tests`, `ol check`, `ol diff`, `ol hint`, `ol list`, `ol watch`.

It imports nothing from `tinyllm`: the judge shares no code with the judged. It knows the course only through
`course/course.toml`. In reading order: ol_launcher (beside this package: the installed command's first lines), __main__ and
cli (the commands), output, errors, files and toml (what all use), catalog, mutants and hints (the course), workspace and state
(a student's repo), imports (what its files bring along), contracts (stubs), stage, disguise, sandbox and leftovers (where
student code runs), own_tests (a student's tests as files), verdict, advice, judge and grade (what came of it), report, pages
and check_json (what is printed), session (one check from beginning to end),
selfcheck (the course's own tests). `child/` is the part that is copied into a stage and runs there, beside the student's code.
"""
