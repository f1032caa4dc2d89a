"""The papers reproduced: what each prints, beside what is computed, as one book.

    a paper's module    the claims, tables and figures of one paper  ->  Paper
    book                papers                                       ->  Markdown, HTML, figures

Every module knows one paper, and nothing else does.
"""
