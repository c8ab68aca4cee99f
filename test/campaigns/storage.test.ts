import { storage } from '../../campaigns/storage/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(storage);
