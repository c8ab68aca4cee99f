import { dial } from '../../campaigns/dial/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(dial);
