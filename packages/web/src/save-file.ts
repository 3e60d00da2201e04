/** Has the browser save data as a file. */
export function saveFile(name: string, type: string, data: string | Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(typeof data === 'string' ? new Blob([data], { type }) : data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
