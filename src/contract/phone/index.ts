import { defineContract } from '../area.ts';
import {
  createCarrier,
  deleteCarrier,
  getCarrier,
  listCarrierNumbers,
  listCarriers,
  updateCarrier,
  verifyCarrier,
} from './carrier-operations.ts';
import { addDoNotCall, deleteDoNotCall, listDoNotCall } from './do-not-call.ts';
import {
  deletePhoneNumber,
  getPhoneNumber,
  importPhoneNumber,
  listPhoneNumbers,
  testPhoneNumber,
  updatePhoneNumber,
  verifyPhoneNumber,
} from './number-operations.ts';
import { phoneScopes } from './scopes.ts';

export const phoneContract = defineContract({
  tag: { name: 'Phone', description: 'Carriers, phone numbers, and numbers that must not be called.' },
  idPrefixes: ['car', 'num'],
  scopes: phoneScopes,
  operations: [
    createCarrier,
    listCarriers,
    getCarrier,
    updateCarrier,
    deleteCarrier,
    verifyCarrier,
    listCarrierNumbers,
    importPhoneNumber,
    listPhoneNumbers,
    getPhoneNumber,
    updatePhoneNumber,
    deletePhoneNumber,
    verifyPhoneNumber,
    testPhoneNumber,
    listDoNotCall,
    addDoNotCall,
    deleteDoNotCall,
  ],
});
