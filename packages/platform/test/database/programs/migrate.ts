import { openDatabase } from '../../support/database.ts';

const [database = '', directory = ''] = process.argv.slice(2);
const opened = await openDatabase({ database, directory });
await opened.close();
