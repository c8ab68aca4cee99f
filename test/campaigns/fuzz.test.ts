import { fuzz } from '../../campaigns/fuzz/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(fuzz);
