"""Homographies, warps and rotations."""

import torch
from kornia.geometry import conversions, find_homography_dlt, transform_points, warp_perspective

FAMILY = "kornia"
GRAD = False


def warp(image, points, moved, angle):
    matrix = find_homography_dlt(points, moved)
    rotation = conversions.axis_angle_to_rotation_matrix(angle)
    quaternion = conversions.rotation_matrix_to_quaternion(rotation)
    return warp_perspective(image, matrix, (8, 8)), transform_points(matrix, points), quaternion


def model():
    return warp


def calls():
    corners = torch.tensor([[[0.0, 0.0], [7.0, 0.0], [7.0, 7.0], [0.0, 7.0]]])
    return [(torch.rand(1, 3, 8, 8), corners, corners + torch.rand(1, 4, 2), torch.rand(1, 3)) for _ in range(3)]
