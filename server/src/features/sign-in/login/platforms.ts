/** The supported platforms. A login without client info has the platform `Unknown`. */
export const platforms = [
  'HandheldConsoleA',
  'HandheldConsoleALite',
  'HandheldConsoleAOLED',
  'ConsoleB4',
  'ConsoleB4Pro',
  'ConsoleB5',
  'ConsoleB5Pro',
  'ConsoleBVR',
  'ConsoleBVR2',
  'ConsoleCOne',
  'ConsoleCOneS',
  'ConsoleCOneX',
  'ConsoleCSeriesS',
  'ConsoleCSeriesX',
  'PC_Windows',
  'PC_Mac',
  'PC_Linux',
  'PC_HandheldPC',
  'Mobile_iOS',
  'Mobile_Android',
  'VRHeadsetD2',
  'VRHeadsetD3',
  'VRHeadsetDPro',
  'VRHeadsetE',
  'VRHeadsetF',
  'Cloud_ServiceA',
  'Cloud_ServiceB',
  'Cloud_ServiceC',
  'Other',
  'Unknown',
] as const;

export type Platform = (typeof platforms)[number];

/**
 * The display name of a platform, such as "PC Windows" or "Console B5 Pro". A word begins at a capital letter after two lower-case
 * letters or a digit ("iOS" stays one word), at the last capital of a sequence ("VR Headset"), and after a console's letter.
 */
export function platformDisplayName(platform: string): string {
  return platform
    .replaceAll('_', ' ')
    .replace(/(?<=[a-z]{2}|\d|Console[A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
}

/** Adds the display name of its platform to a row. */
export function withPlatformName<Row extends { platform: string }>(row: Row) {
  return { ...row, platformDisplayName: platformDisplayName(row.platform) };
}
