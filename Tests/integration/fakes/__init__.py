# SPDX-License-Identifier: Apache-2.0
"""Compositors that speak their documented protocols in the tests' process, without a display."""
