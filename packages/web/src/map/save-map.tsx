import { useState } from 'preact/hooks';
import { saveFile } from '../save-file.ts';
import { messageOf } from '../service.ts';
import { useSession } from '../shell/session.ts';
import { type PictureParts, pictureOf } from './picture.ts';

interface SaveMapProps {
  /** Of the file. */
  readonly name: string;
  /** What the picture shows with the map; undefined while there is nothing to save. */
  readonly parts: PictureParts | undefined;
}

/** Saves the map as a picture that explains itself. */
export function SaveMap({ name, parts }: SaveMapProps) {
  const { stage } = useSession();
  const [error, setError] = useState<string>();
  const save = async () => {
    if (stage === undefined || parts === undefined) return;
    try {
      saveFile(`${name}.png`, 'image/png', await pictureOf(stage, parts));
      setError(undefined);
    } catch (problem) {
      setError(messageOf(problem));
    }
  };
  return (
    <p>
      <button
        type="button"
        class="quiet"
        disabled={stage === undefined || parts === undefined}
        onClick={save}
      >
        Save the map as PNG
      </button>
      {error !== undefined && (
        <span class="error" role="alert">
          {error}
        </span>
      )}
    </p>
  );
}
