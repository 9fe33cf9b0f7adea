"""Makes the tables of docs/libraries.md from the results of run.py."""

BEGIN, END = "<!-- made by tests/libraries/run.py --document -->", "<!-- end -->"


def page(text, results, tables):
    """Returns `text` with new tables between the two marks."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{_tables(results, tables)}\n{END}{tail}"


def _tables(results, tables):
    done = {name: {case: results[f"{name}/{case}"] for case in table.cases if f"{name}/{case}" in results}
            for name, table in tables.items()}
    lines = ["| library | version | kernels and modules | forward | backward | left out |", "|---|---|---|---|---|---|"]
    for name, table in tables.items():
        of = done[name].values()
        lines.append(f"| {table.package} | {next((one['version'] for one in of), '')} | {len(of)} | {_count(of, 'forward', 'yes')} | "
                     f"{_count(of, 'backward', 'yes')} of {sum(one['backward'] in ('yes', 'no') for one in of)} | {_count(of, 'forward', 'skip')} |")
    for name, table in tables.items():
        lines += ["", f"### {table.package}", "", "| kernel or module | forward | backward | note |", "|---|---|---|---|"]
        for case, one in done[name].items():
            forward = {"skip": "left out"}.get(one["forward"], one["forward"])
            lines.append(f"| {case} | {forward} | {one['backward'] or '–'} | {one['reason']} |")
    return "\n".join(lines) + "\n"


def _count(results, key, value):
    return sum(one[key] == value for one in results)
