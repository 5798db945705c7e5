"""Static facts about operators, functions and graphs: what they write, draw, reach and may raise."""
