import { workflows } from '../../campaigns/workflows/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(workflows);
