export { findSegments, type Segment, storedConfidence } from './segments.ts';
