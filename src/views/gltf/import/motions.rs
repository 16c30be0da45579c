//! Animations as motions of 'mechs.
