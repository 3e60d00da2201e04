import { openDatabase } from '../../../src/migrations.ts';

const [database = '', directory = ''] = process.argv.slice(2);
const opened = await openDatabase({ database, directory });
await opened.close();
