"""The back end `metal`: runs kernels on Apple's GPUs by Metal, in memory that host and device share."""
