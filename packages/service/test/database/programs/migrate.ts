import { openDatabase } from '../../../src/database/index.ts';

const [database = '', directory = ''] = process.argv.slice(2);
const opened = await openDatabase({ database, directory });
await opened.close();
