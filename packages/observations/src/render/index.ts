export { drawDetections, drawSegments } from './draw.ts';
export { composite, confidencePicture, type Picture } from './picture.ts';
export { encodePng } from './png.ts';
