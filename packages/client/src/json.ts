import { ContrailsError } from './error.ts';

/** The JSON of a response. Its type is what the description of the API promises. */
export async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new ContrailsError(
      `${response.url} returned no JSON but “${text.slice(0, 80)}”; check the address of the service`,
      { code: 'invalid-response', request: response.url, status: response.status, cause },
    );
  }
}
