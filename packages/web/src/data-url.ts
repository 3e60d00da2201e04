/** The address of a file that the build put beside the app. */
export function dataUrl(name: string): string {
  return new URL(`data/${name}`, document.baseURI).href;
}
