import { phrases } from '../../campaigns/phrases/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(phrases);
