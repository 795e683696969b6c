"""What the installed `ol` comes to after `ol_launcher`, and the entry point of `python -m ol`: it imports the rest where an interrupt is one line too."""

import sys


def main() -> None:
    """Run `ol`. Ctrl-C is one line on standard error and exit code 2 from the first moment on."""
    try:
        from .cli import main as run

        run()
    except KeyboardInterrupt:
        print("ol: interrupted: nothing was judged", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
