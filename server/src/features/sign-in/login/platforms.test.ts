import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { platformDisplayName, platforms, type Platform } from './platforms.ts';

const displayNames: Record<Platform, string> = {
  HandheldConsoleA: 'Handheld Console A',
  HandheldConsoleALite: 'Handheld Console A Lite',
  HandheldConsoleAOLED: 'Handheld Console A OLED',
  ConsoleB4: 'Console B4',
  ConsoleB4Pro: 'Console B4 Pro',
  ConsoleB5: 'Console B5',
  ConsoleB5Pro: 'Console B5 Pro',
  ConsoleBVR: 'Console B VR',
  ConsoleBVR2: 'Console B VR2',
  ConsoleCOne: 'Console C One',
  ConsoleCOneS: 'Console C One S',
  ConsoleCOneX: 'Console C One X',
  ConsoleCSeriesS: 'Console C Series S',
  ConsoleCSeriesX: 'Console C Series X',
  PC_Windows: 'PC Windows',
  PC_Mac: 'PC Mac',
  PC_Linux: 'PC Linux',
  PC_HandheldPC: 'PC Handheld PC',
  Mobile_iOS: 'Mobile iOS',
  Mobile_Android: 'Mobile Android',
  VRHeadsetD2: 'VR Headset D2',
  VRHeadsetD3: 'VR Headset D3',
  VRHeadsetDPro: 'VR Headset D Pro',
  VRHeadsetE: 'VR Headset E',
  VRHeadsetF: 'VR Headset F',
  Cloud_ServiceA: 'Cloud Service A',
  Cloud_ServiceB: 'Cloud Service B',
  Cloud_ServiceC: 'Cloud Service C',
  Other: 'Other',
  Unknown: 'Unknown',
};

describe('platformDisplayName', () => {
  for (const platform of platforms) {
    test(`returns "${displayNames[platform]}" for ${platform}`, () => {
      assert.equal(platformDisplayName(platform), displayNames[platform]);
    });
  }
});
