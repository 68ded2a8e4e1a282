//! Molehill's tools as a library.
