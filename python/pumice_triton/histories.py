"""The arguments that a checked kernel has besides those of its author, by their names."""

PREFIX = "pumice.history."


def count_histories(names):
    return sum(name.startswith(PREFIX) for name in names)
