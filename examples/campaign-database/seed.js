import { openDatabase } from './database.js';

const database = await openDatabase(process.env.DATABASE ?? 'data');
await database.addContact('1', '+12025550101', 'Ada');
await database.addContact('2', '+12025550102', 'Ben');
await database.addContact('3', '+12025550108', 'Cleo');
await database.close();
