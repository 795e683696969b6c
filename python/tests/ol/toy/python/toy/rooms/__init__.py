"""Rooms of the library: a regular package."""

NAME = "rooms"
