/** Segments of a flight's contrail: each point is joined to the next waypoint of the same flight while both live. */

import { windShearEnhancement, windShearNormal } from '../atmosphere/stratification.ts';
import { haversineM, segmentCosA, segmentSinA } from '../geodesy/sphere.ts';
import type { CocipParams } from './params.ts';
import type { PlumeTable } from './plumes.ts';
import type { SegmentGeometry } from './step.ts';
import { runStage } from './vector/index.ts';

/** True where the next row is the next waypoint of the same flight; never for the last row. */
export function isContinuous(plumes: PlumeTable, i: number, count: number): boolean {
  return (
    i + 1 < count &&
    plumes.flight[i] === plumes.flight[i + 1] &&
    (plumes.waypoint[i + 1] as number) - (plumes.waypoint[i] as number) === 1
  );
}

export const CHAINED_SEGMENTS: SegmentGeometry = {
  measure(plumes, count) {
    // The row behind the last one, left over from a step with more rows, continues nothing.
    plumes.flight[count] = Number.NaN;
    runStage('measureChain', plumes, count);
  },
  relink(plumes, count, params) {
    const { longitude, latitude, altitude, length, sinA, cosA, normalShear } = plumes;
    for (let i = 0; i < count; i++) {
      if (!isContinuous(plumes, i, count)) {
        length[i] = sinA[i] = cosA[i] = normalShear[i] = 0;
      } else if (length[i] === 0) {
        const lon0 = longitude[i] as number;
        const lat0 = latitude[i] as number;
        const lon1 = longitude[i + 1] as number;
        const lat1 = latitude[i + 1] as number;
        const climb = (altitude[i + 1] as number) - (altitude[i] as number);
        length[i] = slantM(haversineM(lon0, lat0, lon1, lat1), climb);
        sinA[i] = zeroForNaN(segmentSinA(lon0, lat0, lon1, lat1));
        cosA[i] = zeroForNaN(segmentCosA(lon0, lat0, lon1, lat1));
        normalShear[i] = shearAcrossSegment(plumes, i, params);
      }
    }
  },
  shearAcross: shearAcrossSegments,
};

/** Enhanced shear normal to each row's segment. */
export function shearAcrossSegments(plumes: PlumeTable, count: number): void {
  runStage('shearAcrossChain', plumes, count);
}

function shearAcrossSegment(plumes: PlumeTable, i: number, params: CocipParams): number {
  const { u, v, uBelow, vBelow, sinA, cosA, depth } = plumes;
  return (
    windShearNormal(
      u[i] as number,
      uBelow[i] as number,
      v[i] as number,
      vBelow[i] as number,
      sinA[i] as number,
      cosA[i] as number,
      params.dzM,
    ) *
    windShearEnhancement(
      depth[i] as number,
      params.effectiveVerticalResolutionM,
      params.windShearEnhancementExponent,
    )
  );
}

/** Length [m] of a segment from its ground distance and its climb; 0 where either is unknown. */
function slantM(groundM: number, climbM: number): number {
  return zeroForNaN(Math.sqrt(groundM * groundM + climbM * climbM));
}

function zeroForNaN(x: number): number {
  return Number.isNaN(x) ? 0 : x;
}
