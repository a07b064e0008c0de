#!/usr/bin/env python3
"""Plots the time of planning against the chain's length, as a log-log picture: plan_growth.py BENCH_PLAN OUT.svg"""
import json
import math
import subprocess
import sys

# Benchmarks of bench_plan, their names in the plot, their colours, and the side of the last point on which the name is printed.
CURVES = [
    ("unlike_tapes", "tapes, exact", "#c2410c", -1),
    ("unlike_chain", "chain, exact", "#2563eb", 1),
    ("grid_of", "grid of 500 units", "#0f9d58", 1),
    ("fill_grid<ckpt::plan::test::PlainGrid>", "the same by plain loops", "#888888", 1),
]
LEFT, TOP, WIDTH, HEIGHT = 64, 16, 560, 320


def measured(program):
    """Returns CPU milliseconds by layers, of each curve."""
    pattern = "^(" + "|".join(name for name, *_ in CURVES) + ")/"
    command = [program, "--benchmark_filter=" + pattern, "--benchmark_format=json"]
    text = subprocess.run(command, check=True, capture_output=True).stdout
    points = {name: [] for name, *_ in CURVES}
    for each in json.loads(text)["benchmarks"]:
        name, layers = each["name"].rsplit("/", 1)
        points[name].append((int(layers), each["cpu_time"]))
    return points


def picture(points):
    sizes = [layers for curve in points.values() for layers, _ in curve]
    times = [time for curve in points.values() for _, time in curve]
    low_x, high_x = math.log10(min(sizes)), math.log10(max(sizes))
    low_y, high_y = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    x_of = lambda layers: LEFT + WIDTH * (math.log10(layers) - low_x) / (high_x - low_x)
    y_of = lambda time: TOP + HEIGHT * (high_y - math.log10(time)) / (high_y - low_y)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="13" '
           f'viewBox="0 0 {LEFT + WIDTH + 180} {TOP + HEIGHT + 44}">',
           '<rect width="100%" height="100%" fill="#ffffff"/>']
    for power in range(low_y, high_y + 1):
        y = y_of(10.0 ** power)
        label = f"{10 ** power:g} ms" if power < 3 else f"{10 ** (power - 3):g} s"
        out.append(f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#dddddd"/>'
                   f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for layers in sorted(set(sizes)):
        x = x_of(layers)
        out.append(f'<path d="M{x:.1f} {TOP}v{HEIGHT}" stroke="#eeeeee"/>'
                   f'<text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{layers}</text>')
    out.append(f'<text x="{LEFT + WIDTH / 2:.0f}" y="{TOP + HEIGHT + 38}" text-anchor="middle">layers</text>')
    for name, label, colour, side in CURVES:
        curve = sorted(points[name])
        path = "L".join(f"{x_of(layers):.1f} {y_of(time):.1f}" for layers, time in curve)
        dots = "".join(f'<circle cx="{x_of(layers):.1f}" cy="{y_of(time):.1f}" r="3"/>' for layers, time in curve)
        end_x, end_y = x_of(curve[-1][0]) + 8 * side, y_of(curve[-1][1]) + 4
        anchor = "start" if side > 0 else "end"
        out.append(f'<g fill="{colour}"><path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}'
                   f'<text x="{end_x:.1f}" y="{end_y:.1f}" text-anchor="{anchor}">{label}</text></g>')
    return "\n".join(out) + "\n</svg>\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], "w", encoding="ascii") as file:
        file.write(picture(measured(sys.argv[1])))
