/** The account both ends of the bench know. Its voice API is nowhere: nothing is asked of it. */
export const plivoAccount = {
  authId: 'MABENCHBENCHBENCHBEN',
  authToken: 'bench-auth-token',
  apiUrl: 'http://127.0.0.1:1/v1',
};
