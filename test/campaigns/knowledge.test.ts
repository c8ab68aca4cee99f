import { knowledge } from '../../campaigns/knowledge/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(knowledge);
