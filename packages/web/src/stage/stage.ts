/** The map behind every view. It is the one module that uses MapLibre, and is loaded when the page stands. */
import {
  type CanvasSourceSpecification,
  type FilterSpecification,
  type GeoJSONSource,
  type LayerSpecification,
  Map as MapLibreMap,
  type MapMouseEvent,
  NavigationControl,
  setWorkerUrl,
} from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import 'maplibre-gl/dist/maplibre-gl.css';
import { dataUrl } from '../data-url.ts';
import type { Grid } from '../grid/grid.ts';
import type { Position } from '../track.ts';
import { type Basemap, basemapStyle, NAMES_ZOOM, SLOTS, type Theme } from './basemap-style.ts';
import type { ColorScale } from './color-scale.ts';
import { FieldLayer } from './field-layer.ts';
import { Pictures } from './pictures.ts';
import { RibbonLayer, type Ribbons } from './ribbon-layer.ts';
import { SymbolLayer, type Symbols } from './symbol-layer.ts';
import { type WindField, WindParticles } from './wind-particles.ts';

setWorkerUrl(workerUrl);

export interface Camera {
  readonly longitude: number;
  readonly latitude: number;
  readonly zoom: number;
}

/** Shapes above the coasts: a source and the layers that draw it. */
export interface Shapes {
  readonly data: GeoJSON.FeatureCollection;
  readonly layers: readonly ShapeLayer[];
}

type ShapeLayer = DistributiveOmit<Extract<LayerSpecification, { source: string }>, 'id' | 'source'>;
type DistributiveOmit<T, K extends keyof never> = T extends unknown ? Omit<T, K> : never;

/** A picture and where its edges are [deg]. */
export interface MapPicture {
  readonly canvas: HTMLCanvasElement;
  readonly bounds: readonly [west: number, south: number, east: number, north: number];
}

const PICTURE = 'picture';
const MIN_ZOOM = 0.6;
/** From here on the edges of the coarse basemap show. */
const FINE_ZOOM = 2.2;
const EMPTY: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };
const NO_RIBBONS: Ribbons = { ribbons: [], clock: undefined };
/** Of aircraft, in parts of 1. */
const EDGES: Readonly<Record<Theme, readonly [red: number, green: number, blue: number]>> = {
  dark: [0.04, 0.07, 0.1],
  light: [1, 1, 1],
};
const FIELDS = ['weather', 'contrails'] as const;
export type FieldName = (typeof FIELDS)[number];

interface ShownField {
  readonly grid: Grid | undefined;
  readonly colors: ColorScale | undefined;
}

/** Without a graphics card, the time of a frame goes with its pixels; a coarser map follows the hand. */
const SOFTWARE_PIXEL_RATIO = 0.75;

function isDrawnInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const renderer = String(gl?.getParameter(gl.RENDERER) ?? '');
  const debug = gl?.getExtension('WEBGL_debug_renderer_info');
  const unmasked = debug ? String(gl?.getParameter(debug.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /SwiftShader|llvmpipe|softpipe|Basic Render/i.test(`${renderer} ${unmasked}`);
}

export class MapStage {
  private readonly map: MapLibreMap;
  private readonly wind: WindParticles;
  private readonly pictures: Pictures;
  private readonly fields = new Map<FieldName, ShownField>();
  private readonly fieldLayers = new Map<FieldName, FieldLayer>();
  private readonly shapes = new Map<string, Shapes>();
  private readonly filters = new Map<string, FilterSpecification>();
  private ribbons: Ribbons | undefined;
  private symbols: Symbols | undefined;
  private ribbonLayer: RibbonLayer | undefined;
  private symbolLayer: SymbolLayer | undefined;
  private picture: MapPicture | undefined;
  private theme: Theme;
  /** The coarse basemap is enough for the globe; the fine one replaces it when someone looks closer. */
  private basemap: Basemap = {
    url: dataUrl('basemap-coarse.json'),
    hasNames: false,
    placesUrl: undefined,
    namesUrl: undefined,
  };

  constructor(container: HTMLElement, theme: Theme, camera: Camera) {
    this.theme = theme;
    this.map = new MapLibreMap({
      container,
      style: basemapStyle(theme, this.basemap),
      center: [camera.longitude, camera.latitude],
      zoom: camera.zoom,
      minZoom: MIN_ZOOM,
      maxZoom: 9,
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      fadeDuration: 0,
      renderWorldCopies: true,
      ...(isDrawnInSoftware() ? { pixelRatio: SOFTWARE_PIXEL_RATIO * devicePixelRatio } : {}),
      canvasContextAttributes: { preserveDrawingBuffer: false, antialias: false },
    });
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    this.map.addControl(new NavigationControl({ showCompass: false }), 'bottom-right');
    this.map.getCanvas().setAttribute('aria-label', 'Map. Arrow keys move it, plus and minus zoom.');
    this.wind = new WindParticles(this.map);
    this.pictures = new Pictures(this.map);
    this.map.on('style.load', () => this.restore());
    this.map.once('idle', () => {
      container.dataset.drawn = '';
      this.refineBasemap();
      this.map.on('zoomend', () => this.refineBasemap());
    });
  }

  setTheme(theme: Theme): void {
    if (theme === this.theme) return;
    this.theme = theme;
    this.map.setStyle(basemapStyle(theme, this.basemap), { diff: false });
  }

  /** Shows a level of a variable below the coasts, or nothing. */
  setField(name: FieldName, grid: Grid | undefined, colors: ColorScale | undefined): void {
    this.fields.set(name, { grid, colors });
    this.fieldLayers.get(name)?.show(grid, colors);
  }

  /** Lets a field disappear that no longer is what was asked for; the next `setField` ends that. */
  fadeField(name: FieldName): void {
    this.fieldLayers.get(name)?.fade();
  }

  setWind(field: WindField | undefined): void {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const color = this.theme === 'dark' ? 'rgb(255 255 255 / 0.5)' : 'rgb(20 40 70 / 0.55)';
    this.wind.show(isStill ? undefined : field, color);
  }

  /** Shows contrails below the names; undefined removes them. */
  setRibbons(ribbons: Ribbons | undefined): void {
    this.ribbons = ribbons;
    this.ribbonLayer?.show(ribbons ?? NO_RIBBONS);
  }

  /** Shows aircraft above everything; undefined removes them. */
  setSymbols(symbols: Symbols | undefined): void {
    this.symbols = symbols;
    this.symbolLayer?.show(symbols);
  }

  /** Shows shapes under a name in place of those before; undefined removes them. */
  setShapes(name: string, shapes: Shapes | undefined): void {
    const before = this.shapes.get(name);
    if (shapes === undefined) this.shapes.delete(name);
    else this.shapes.set(name, shapes);
    if (!this.isStyled()) return;
    const source = this.map.getSource<GeoJSONSource>(name);
    if (source !== undefined && before?.layers === shapes?.layers) source.setData(shapes?.data ?? EMPTY);
    else {
      this.removeShapes(name, before);
      if (shapes !== undefined) this.addShapes(name, shapes);
    }
  }

  /** Shows a picture in the projection of the map below the coasts; undefined removes it. */
  setPicture(picture: MapPicture | undefined): void {
    this.picture = picture;
    if (this.isStyled()) this.placePicture();
  }

  private placePicture(): void {
    if (this.map.getLayer(PICTURE) !== undefined) this.map.removeLayer(PICTURE);
    if (this.map.getSource(PICTURE) !== undefined) this.map.removeSource(PICTURE);
    if (this.picture === undefined) return;
    const { canvas, bounds } = this.picture;
    const [west, south, east, north] = bounds;
    const coordinates: CanvasSourceSpecification['coordinates'] = [
      [west, north],
      [east, north],
      [east, south],
      [west, south],
    ];
    this.map.addSource(PICTURE, { type: 'canvas', canvas, coordinates, animate: false });
    const paint = { 'raster-opacity': 0.85, 'raster-fade-duration': 0 };
    this.map.addLayer({ id: PICTURE, type: 'raster', source: PICTURE, paint }, SLOTS.fields);
  }

  /** Shows only those features of shapes that a filter selects, also of shapes that are set later. */
  filterShapes(name: string, filter: FilterSpecification): void {
    this.filters.set(name, filter);
    this.shapes.get(name)?.layers.forEach((_, k) => {
      if (this.map.getLayer(`${name}-${k}`) !== undefined) this.map.setFilter(`${name}-${k}`, filter);
    });
  }

  /** Properties of the topmost feature of these shapes at a pixel. */
  featureAt(
    name: string,
    point: { readonly x: number; readonly y: number },
  ): Record<string, unknown> | undefined {
    const layers = (this.shapes.get(name)?.layers ?? [])
      .map((_, k) => `${name}-${k}`)
      .filter((id) => this.map.getLayer(id) !== undefined);
    if (layers.length === 0) return undefined;
    const box: [[number, number], [number, number]] = [
      [point.x - 4, point.y - 4],
      [point.x + 4, point.y + 4],
    ];
    return this.map.queryRenderedFeatures(box, { layers })[0]?.properties;
  }

  /** Calls with the position under the pointer, and with undefined when it leaves. */
  onPointer(listener: (position: (Position & { x: number; y: number }) | undefined) => void): () => void {
    const move = ({ lngLat, point }: MapMouseEvent) =>
      listener({ longitude: lngLat.wrap().lng, latitude: lngLat.lat, x: point.x, y: point.y });
    const leave = () => listener(undefined);
    this.map.on('mousemove', move);
    this.map.on('mouseout', leave);
    return () => {
      this.map.off('mousemove', move);
      this.map.off('mouseout', leave);
    };
  }

  /** The shape of the pointer over the map; undefined for the usual one. */
  setCursor(cursor: 'pointer' | 'crosshair' | undefined): void {
    this.map.getCanvas().style.cursor = cursor ?? '';
  }

  onClick(listener: (position: Position & { x: number; y: number }) => void): () => void {
    const click = ({ lngLat, point }: MapMouseEvent) =>
      listener({ longitude: lngLat.wrap().lng, latitude: lngLat.lat, x: point.x, y: point.y });
    this.map.on('click', click);
    return () => this.map.off('click', click);
  }

  onMove(listener: (camera: Camera) => void): () => void {
    const moved = () => listener(this.camera());
    this.map.on('moveend', moved);
    return () => this.map.off('moveend', moved);
  }

  camera(): Camera {
    const { lng, lat } = this.map.getCenter();
    return { longitude: lng, latitude: lat, zoom: this.map.getZoom() };
  }

  /** West, south, east and north of what is in view, beyond 180° where it crosses the antimeridian [deg]. */
  view(): readonly [west: number, south: number, east: number, north: number] {
    const bounds = this.map.getBounds();
    return [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
  }

  moveTo({ longitude, latitude, zoom }: Camera): void {
    this.map.jumpTo({ center: [longitude, latitude], zoom });
  }

  /** Fits the box into the uncovered part of the map [px]. */
  fit(
    [west, south, east, north]: readonly [number, number, number, number],
    padding: { readonly left: number; readonly bottom: number; readonly right: number; readonly top: number },
  ): void {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const duration = isStill ? 0 : 500;
    const camera = this.map.cameraForBounds([west, south, east, north], { padding, maxZoom: 6 });
    if ((camera?.zoom ?? 0) >= MIN_ZOOM) {
      this.map.fitBounds([west, south, east, north], { padding, maxZoom: 6, duration });
      return;
    }
    // The box is larger than what is free: its middle goes there.
    this.map.easeTo({
      center: [(west + east) / 2, (south + north) / 2],
      zoom: MIN_ZOOM,
      offset: [(padding.left - padding.right) / 2, (padding.top - padding.bottom) / 2],
      duration,
    });
  }

  /** The map as it is drawn now. */
  snapshot(): Promise<HTMLCanvasElement> {
    return new Promise((resolve) => {
      this.map.once('render', () => {
        const drawn = this.map.getCanvas();
        const copy = document.createElement('canvas');
        copy.width = drawn.width;
        copy.height = drawn.height;
        const context = copy.getContext('2d');
        context?.drawImage(drawn, 0, 0);
        if (context) this.wind.drawInto(context, copy.width, copy.height);
        resolve(copy);
      });
      this.map.triggerRepaint();
    });
  }

  /** Adds what the first picture of the map does without: names, and fine coasts where they make a difference. */
  private refineBasemap(): void {
    const before = this.basemap;
    const zoom = this.map.getZoom();
    const url = zoom < FINE_ZOOM ? before.url : dataUrl('basemap-fine.json');
    const namesUrl = zoom < NAMES_ZOOM - 1 ? before.namesUrl : dataUrl('basemap-names.json');
    const placesUrl = dataUrl('places.json');
    this.basemap = { url, hasNames: true, placesUrl, namesUrl };
    const load = (source: string, data: string | undefined, loaded: string | undefined) => {
      if (data !== undefined && data !== loaded) this.map.getSource<GeoJSONSource>(source)?.setData(data);
    };
    load('places', placesUrl, before.placesUrl);
    load('country-names', namesUrl, before.namesUrl);
    load('basemap', url, before.url);
    if (!before.hasNames) this.map.setLayoutProperty('names', 'visibility', 'visible');
  }

  private isStyled(): boolean {
    return this.map.getLayer(SLOTS.shapes) !== undefined;
  }

  /** A style brings only the basemap: the data go back into it. */
  private restore(): void {
    for (const name of FIELDS) {
      const layer = new FieldLayer(`field-${name}`);
      this.fieldLayers.set(name, layer);
      this.map.addLayer(layer, SLOTS.fields);
      const { grid, colors } = this.fields.get(name) ?? {};
      layer.show(grid, colors);
    }
    this.placePicture();
    this.ribbonLayer = new RibbonLayer('ribbons', this.pictures);
    this.ribbonLayer.show(this.ribbons ?? NO_RIBBONS);
    this.map.addLayer(this.ribbonLayer, SLOTS.shapes);
    for (const [name, shapes] of this.shapes) this.addShapes(name, shapes);
    this.symbolLayer = new SymbolLayer('symbols', EDGES[this.theme], this.pictures);
    this.symbolLayer.show(this.symbols);
    this.map.addLayer(this.symbolLayer);
  }

  private addShapes(name: string, { data, layers }: Shapes): void {
    this.map.addSource(name, { type: 'geojson', data, tolerance: 0.2 });
    const filter = this.filters.get(name);
    layers.forEach((layer, k) => {
      const placed = { ...layer, id: `${name}-${k}`, source: name, ...(filter && { filter }) };
      // Above the names of the map, which make room for those of what is shown.
      this.map.addLayer(placed as LayerSpecification, layer.type === 'symbol' ? undefined : SLOTS.shapes);
    });
  }

  private removeShapes(name: string, shapes: Shapes | undefined): void {
    shapes?.layers.forEach((_, k) => {
      if (this.map.getLayer(`${name}-${k}`) !== undefined) this.map.removeLayer(`${name}-${k}`);
    });
    if (this.map.getSource(name) !== undefined) this.map.removeSource(name);
  }
}
