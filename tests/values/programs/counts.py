"""What operators give that have several results, one, or either: by every form of their arguments."""

import torch


def run(x: torch.Tensor, y: torch.Tensor, n: int, flag: bool, rest):
    a0 = x.max()
    a1 = torch.max(x)
    a2 = x.max(0)
    a3 = torch.max(x, 0)
    a4 = x.max(dim=0)
    a5 = torch.max(x, dim=0)
    a6 = x.max(y)
    a7 = torch.max(x, y)
    a8 = x.max(x)
    a9 = torch.max(x, x)
    a10 = x.max(n)
    a11 = torch.max(x, n)
    a12 = x.max(0, True)
    a13 = torch.max(x, 0, True)
    a14 = x.max(*rest)
    a15 = torch.max(x, *rest)
    a16 = x.max(other=y)
    a17 = torch.max(x, other=y)
    a18 = x.max(keepdim=True)
    a19 = torch.max(x, keepdim=True)
    a20 = x.max(axis=0)
    a21 = torch.max(x, axis=0)
    a22 = x.max(None)
    a23 = torch.max(x, None)
    a24 = x.max(-1)
    a25 = torch.max(x, -1)
    a26 = x.max(x.dim())
    a27 = torch.max(x, x.dim())
    a28 = x.max(1.5)
    a29 = torch.max(x, 1.5)
    a30 = x.min()
    a31 = torch.min(x)
    a32 = x.min(0)
    a33 = torch.min(x, 0)
    a34 = x.min(dim=1)
    a35 = torch.min(x, dim=1)
    a36 = x.min(y)
    a37 = torch.min(x, y)
    a38 = x.min(n)
    a39 = torch.min(x, n)
    a40 = x.min(*rest)
    a41 = torch.min(x, *rest)
    a42 = x.median()
    a43 = torch.median(x)
    a44 = x.median(0)
    a45 = torch.median(x, 0)
    a46 = x.median(dim=0)
    a47 = torch.median(x, dim=0)
    a48 = x.median(n)
    a49 = torch.median(x, n)
    a50 = x.mode()
    a51 = torch.mode(x)
    a52 = x.mode(0)
    a53 = torch.mode(x, 0)
    a54 = x.nanmedian()
    a55 = torch.nanmedian(x)
    a56 = x.nanmedian(0)
    a57 = torch.nanmedian(x, 0)
    a58 = x.kthvalue(1)
    a59 = torch.kthvalue(x, 1)
    a60 = x.kthvalue(1, 0)
    a61 = torch.kthvalue(x, 1, 0)
    a62 = x.sort()
    a63 = torch.sort(x)
    a64 = x.sort(0)
    a65 = torch.sort(x, 0)
    a66 = x.sort(descending=True)
    a67 = torch.sort(x, descending=True)
    a68 = x.sort(stable=True)
    a69 = torch.sort(x, stable=True)
    a70 = x.topk(1)
    a71 = torch.topk(x, 1)
    a72 = x.topk(1, 0)
    a73 = torch.topk(x, 1, 0)
    a74 = x.unique()
    a75 = torch.unique(x)
    a76 = x.unique(return_inverse=True)
    a77 = torch.unique(x, return_inverse=True)
    a78 = x.unique(return_counts=True)
    a79 = torch.unique(x, return_counts=True)
    a80 = x.unique(return_inverse=False)
    a81 = torch.unique(x, return_inverse=False)
    a82 = x.unique(return_counts=flag)
    a83 = torch.unique(x, return_counts=flag)
    a84 = x.unique(sorted=False)
    a85 = torch.unique(x, sorted=False)
    a86 = x.unique(True, True)
    a87 = torch.unique(x, True, True)
    a88 = x.unique(True)
    a89 = torch.unique(x, True)
    a90 = x.unique(dim=0)
    a91 = torch.unique(x, dim=0)
    a92 = x.unique(return_inverse=True, return_counts=False)
    a93 = torch.unique(x, return_inverse=True, return_counts=False)
    a94 = x.unique_consecutive()
    a95 = torch.unique_consecutive(x)
    a96 = x.unique_consecutive(return_inverse=True)
    a97 = torch.unique_consecutive(x, return_inverse=True)
    a98 = x.unique_consecutive(True)
    a99 = torch.unique_consecutive(x, True)
    a100 = x.unique_consecutive(return_counts=flag)
    a101 = torch.unique_consecutive(x, return_counts=flag)
    a102 = x.nonzero()
    a103 = torch.nonzero(x)
    a104 = x.nonzero(as_tuple=True)
    a105 = torch.nonzero(x, as_tuple=True)
    a106 = x.nonzero(as_tuple=False)
    a107 = torch.nonzero(x, as_tuple=False)
    a108 = x.nonzero(as_tuple=flag)
    a109 = torch.nonzero(x, as_tuple=flag)
    a110 = x.where()
    a111 = torch.where(x)
    a112 = x.where(y, 0)
    a113 = torch.where(y, 0)
    a114 = x.where(x > 0)
    a115 = torch.where(x > 0)
    a116 = x.where(x > 0, 1)
    a117 = torch.where(x > 0, 1)
    a118 = x.split(1)
    a119 = torch.split(x, 1)
    a120 = x.split([1, 1])
    a121 = torch.split(x, [1, 1])
    a122 = x.split(1, 0)
    a123 = torch.split(x, 1, 0)
    a124 = x.chunk(2)
    a125 = torch.chunk(x, 2)
    a126 = x.chunk(2, 1)
    a127 = torch.chunk(x, 2, 1)
    a128 = x.unbind()
    a129 = torch.unbind(x)
    a130 = x.unbind(0)
    a131 = torch.unbind(x, 0)
    a132 = x.std_mean()
    a133 = torch.std_mean(x)
    a134 = x.std_mean(0)
    a135 = torch.std_mean(x, 0)
    a136 = x.var_mean()
    a137 = torch.var_mean(x)
    a138 = x.aminmax()
    a139 = torch.aminmax(x)
    a140 = x.aminmax(dim=0)
    a141 = torch.aminmax(x, dim=0)
    a142 = x.frexp()
    a143 = torch.frexp(x)
    a144 = x.histogram(3)
    a145 = torch.histogram(x, 3)
    a146 = x.slogdet()
    a147 = torch.slogdet(x)
    a148 = x.sum()
    a149 = torch.sum(x)
    a150 = x.sum(0)
    a151 = torch.sum(x, 0)
    a152 = x.sum(dim=0)
    a153 = torch.sum(x, dim=0)
    a154 = x.sum(dtype=torch.long)
    a155 = torch.sum(x, dtype=torch.long)
    a156 = x.sum(keepdim=True)
    a157 = torch.sum(x, keepdim=True)
    a158 = x.mean()
    a159 = torch.mean(x)
    a160 = x.mean(0)
    a161 = torch.mean(x, 0)
    a162 = x.any()
    a163 = torch.any(x)
    a164 = x.any(0)
    a165 = torch.any(x, 0)
    a166 = x.all()
    a167 = torch.all(x)
    a168 = x.all(0)
    a169 = torch.all(x, 0)
    a170 = x.argmax()
    a171 = torch.argmax(x)
    a172 = x.argmax(0)
    a173 = torch.argmax(x, 0)
    a174 = x.norm()
    a175 = torch.norm(x)
    a176 = x.norm(2)
    a177 = torch.norm(x, 2)
    a178 = x.norm(2, 0)
    a179 = torch.norm(x, 2, 0)
    a180 = x.cumsum(0)
    a181 = torch.cumsum(x, 0)
    a182 = x.prod()
    a183 = torch.prod(x)
    a184 = x.prod(0)
    a185 = torch.prod(x, 0)
    a186 = x.std()
    a187 = torch.std(x)
    a188 = x.std(0)
    a189 = torch.std(x, 0)
    a190 = x.var()
    a191 = torch.var(x)
    a192 = x.logsumexp(0)
    a193 = torch.logsumexp(x, 0)
    a194 = x.cummax(0)
    a195 = torch.cummax(x, 0)
    a196 = x.qr()
    a197 = torch.qr(x)
    a198 = x.svd()
    a199 = torch.svd(x)
    return [
        a0,
        a1,
        a2,
        a3,
        a4,
        a5,
        a6,
        a7,
        a8,
        a9,
        a10,
        a11,
        a12,
        a13,
        a14,
        a15,
        a16,
        a17,
        a18,
        a19,
        a20,
        a21,
        a22,
        a23,
        a24,
        a25,
        a26,
        a27,
        a28,
        a29,
        a30,
        a31,
        a32,
        a33,
        a34,
        a35,
        a36,
        a37,
        a38,
        a39,
        a40,
        a41,
        a42,
        a43,
        a44,
        a45,
        a46,
        a47,
        a48,
        a49,
        a50,
        a51,
        a52,
        a53,
        a54,
        a55,
        a56,
        a57,
        a58,
        a59,
        a60,
        a61,
        a62,
        a63,
        a64,
        a65,
        a66,
        a67,
        a68,
        a69,
        a70,
        a71,
        a72,
        a73,
        a74,
        a75,
        a76,
        a77,
        a78,
        a79,
        a80,
        a81,
        a82,
        a83,
        a84,
        a85,
        a86,
        a87,
        a88,
        a89,
        a90,
        a91,
        a92,
        a93,
        a94,
        a95,
        a96,
        a97,
        a98,
        a99,
        a100,
        a101,
        a102,
        a103,
        a104,
        a105,
        a106,
        a107,
        a108,
        a109,
        a110,
        a111,
        a112,
        a113,
        a114,
        a115,
        a116,
        a117,
        a118,
        a119,
        a120,
        a121,
        a122,
        a123,
        a124,
        a125,
        a126,
        a127,
        a128,
        a129,
        a130,
        a131,
        a132,
        a133,
        a134,
        a135,
        a136,
        a137,
        a138,
        a139,
        a140,
        a141,
        a142,
        a143,
        a144,
        a145,
        a146,
        a147,
        a148,
        a149,
        a150,
        a151,
        a152,
        a153,
        a154,
        a155,
        a156,
        a157,
        a158,
        a159,
        a160,
        a161,
        a162,
        a163,
        a164,
        a165,
        a166,
        a167,
        a168,
        a169,
        a170,
        a171,
        a172,
        a173,
        a174,
        a175,
        a176,
        a177,
        a178,
        a179,
        a180,
        a181,
        a182,
        a183,
        a184,
        a185,
        a186,
        a187,
        a188,
        a189,
        a190,
        a191,
        a192,
        a193,
        a194,
        a195,
        a196,
        a197,
        a198,
        a199,
    ]
