"""Tools: spec files and servers read into a toolbox (`specs`), and words for tools that nobody described (`describing`).

Beside them: what results must agree in (`invariants`), shipped descriptions of servers (`servers`), phrases as productions. It
may import the rooms from `world` down. Start reading at specs/read.py.
"""
