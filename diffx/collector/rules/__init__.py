"""What .gitignore and .gitattributes say of a path, exactly as git reads them (2.8, 2.9).

Receives: the bytes of rule files.   Hands on: ignored or not, and attribute values.
Never: a file system of its own.
"""
