# ruff: noqa
"""Classes whose bases stand elsewhere: their names tell modules from outputs, caches and configurations."""

import torch
from lib import CacheLayer, Layer, LayerConfig, OutputLayer, nets


class OfLayer(Layer):
    def forward(self, x):
        return self  #: self -> not module


class OfNorm(nets.RMSNorm):
    def forward(self, x):
        return self  #: self -> not module


class OfPart(nets.Block[int]):
    def forward(self, x):
        return self  #: self -> not !module


class OfCache(CacheLayer):
    def forward(self, x):
        return self  #: self -> not !module


class OfOutput(OutputLayer):
    def forward(self, x):
        return self  #: self -> not !module


class OfNamedOutput(nets.OutputBlock):
    def forward(self, x):
        return self  #: self -> not !module


class OfNamedCache(nets.CacheModel):
    def forward(self, x):
        return self  #: self -> not !module


class OfConfig(LayerConfig):
    def forward(self, x):
        return self  #: self -> not !module


class OfBoth(CacheLayer, Layer):
    def forward(self, x):
        return self  #: self -> not module


class OfCall(Layer()):
    def forward(self, x):
        return self  #: self -> not !module
