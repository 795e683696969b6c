"""Interim: to be replaced by branch norm's file."""

from tinyllm.tok.unicode16 import category

WHITE_SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def is_word(ch: str) -> bool:
    kind, code = category(ch), ord(ch)
    return (
        kind[0] in "LM"
        or kind in ("Nd", "Nl", "Pc")
        or code in (0x200C, 0x200D)
        or 0x24B6 <= code <= 0x24E9
        or 0x1F130 <= code <= 0x1F149
        or 0x1F150 <= code <= 0x1F169
        or 0x1F170 <= code <= 0x1F189
    )
