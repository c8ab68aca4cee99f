import { overload } from '../../campaigns/overload/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(overload);
