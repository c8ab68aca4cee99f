import { voice } from '../../campaigns/voice/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(voice);
