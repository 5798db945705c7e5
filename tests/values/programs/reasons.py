# ruff: noqa
"""The reason for what is stated of two operands is that of the operand that decides: data, from the left where both are."""

import torch


def operators(x: torch.Tensor, z: torch.Tensor, count: int, unknown):
    left = x.item()
    right = z.item()
    print(left + unknown)  #: left + unknown -> unknown because `left` comes from
    print(unknown + left)  #: unknown + left -> unknown because `left` comes from
    print(unknown - unknown)  #: unknown - unknown -> unknown because nothing is known
    maybe = left + unknown
    other = unknown * right
    print(maybe + unknown)  #: maybe + unknown -> unknown because `left` comes from
    print(unknown + maybe)  #: unknown + maybe -> unknown because `left` comes from
    print(maybe + other)  #: maybe + other -> unknown because `left` comes from
    print(other + maybe)  #: other + maybe -> unknown because `right` comes from


def comparisons(x: torch.Tensor, z: torch.Tensor, count: int):
    left = x.item()
    right = z.item()
    print(left > 1)  #: left > 1 -> not bool from-data because `left` comes from
    print(1 > left)  #: 1 > left -> not bool from-data because `left` comes from
    print(left > right)  #: left > right -> not bool from-data because `left` comes from
    print(right > left)  #: right > left -> not bool from-data because `right` comes from
    print(count > 1)  #: count > 1 -> not bool !from-data because a comparison of Python values
    print(left > count)  #: left > count -> not bool from-data because `left` comes from
    print(count > left)  #: count > left -> not bool from-data because `left` comes from
    print(x.shape[0] > left)  #: x.shape[0] > left -> not bool from-data because `left` comes from
    print(left > x.shape[0])  #: left > x.shape[0] -> not bool from-data because `left` comes from
    print(x.shape[0] > z.shape[0])  #: x.shape[0] > z.shape[0] -> not bool !from-data because a size
