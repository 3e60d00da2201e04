export { drawDetections, drawSegments } from './draw.ts';
export { type FrameOnMap, frameOnMap, type MapBounds } from './on-map.ts';
export { composite, confidencePicture, type Picture } from './picture.ts';
export { encodePng } from './png.ts';
