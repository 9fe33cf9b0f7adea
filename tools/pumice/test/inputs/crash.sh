#!/bin/sh
# Acts as a compiler that crashes.
kill -ABRT $$
