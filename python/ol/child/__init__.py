"""What runs inside a stage, beside the student's code: copied there, so that nothing of `ol` need be on the path.

Standard library and pytest only, and relative imports only: in a stage this package is called `ol_child`.
"""
