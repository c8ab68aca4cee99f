import { backup } from '../../campaigns/backup/campaign.ts';
import { testCampaign } from './small.ts';

testCampaign(backup);
