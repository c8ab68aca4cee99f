import type { ReactNode } from 'react';

interface IconProps {
  readonly size?: number;
}

/** On a 20 by 20 grid. Hidden from screen readers, because the text next to it says the same. */
export function Icon({ size = 18, children }: IconProps & { readonly children: ReactNode }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

/** An icon made of strokes only. */
function lines(path: string) {
  return function LineIcon({ size = 18 }: IconProps) {
    return (
      <Icon size={size}>
        <path d={path} />
      </Icon>
    );
  };
}

export function Logo({ size = 24 }: IconProps) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#0b6bcb" />
      <path d="M8 13v6M12 9v14M16 12v8M20 7v18M24 13v6" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
    </svg>
  );
}

export const OverviewIcon = lines('M3 16h14M5 13V9M9 13V5M13 13V8M17 13V4');
export const ChartIcon = lines('M3.5 3.5v13h13M6.5 12.5l3-4 3 2.5 4-5.5');
export const AgentIcon = lines('M4 8.5v3M7 6v8M10 8v4M13 4.5v11M16 8.5v3');
export const KeyIcon = lines('M12.5 3.5a4 4 0 1 1-3 6.6L4 15.6V17h2.5v-1.8h1.8v-1.8h1.6M13.6 6.4h.01');
export const AuditIcon = lines('M5 3.5h7l3 3v10H5zM12 3.5v3h3M7.5 10h5M7.5 13h5');
export const BookIcon = lines(
  'M10 5.5C8.5 4.2 6.5 4 4 4v11c2.5 0 4.5.2 6 1.5 1.5-1.3 3.5-1.5 6-1.5V4c-2.5 0-4.5.2-6 1.5zM10 5.5v11',
);
export const SearchIcon = lines('M9 4a5 5 0 1 1 0 10A5 5 0 0 1 9 4zM12.7 12.7 16.5 16.5');
export const PlusIcon = lines('M10 4.5v11M4.5 10h11');
export const CopyIcon = lines('M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3');
export const CheckIcon = lines('M4.5 10.5 8.5 14.5 15.5 6');
export const CloseIcon = lines('M5.5 5.5l9 9M14.5 5.5l-9 9');
export const LockIcon = lines('M5.5 9h9v7.5h-9zM7 9V6.5a3 3 0 0 1 6 0V9');
export const SunIcon = lines(
  'M10 7a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM10 2.5v1.5M10 16v1.5M2.5 10H4M16 10h1.5M4.7 4.7l1 1M14.3 14.3l1 1M15.3 4.7l-1 1M5.7 14.3l-1 1',
);
export const MoonIcon = lines('M16 11.8A6.5 6.5 0 0 1 8.2 4 6.5 6.5 0 1 0 16 11.8z');
export const ScreenIcon = lines('M3.5 4.5h13v8.5h-13zM7.5 16.5h5M10 13v3.5');
export const GlobeIcon = lines(
  'M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM3 10h14M10 3c2 2 3 4.5 3 7s-1 5-3 7c-2-2-3-4.5-3-7s1-5 3-7z',
);
export const SignOutIcon = lines('M8 4H4.5v12H8M12.5 6.5 16 10l-3.5 3.5M16 10H8');
export const EyeIcon = lines('M2.5 10S5 5 10 5s7.5 5 7.5 5-2.5 5-7.5 5-7.5-5-7.5-5zM10 8a2 2 0 1 1 0 4 2 2 0 0 1 0-4z');
export const EyeOffIcon = lines(
  'M4 4l12 12M8.6 5.2C9 5.1 9.5 5 10 5c5 0 7.5 5 7.5 5a13 13 0 0 1-2.2 2.8M5.5 6.5A12.6 12.6 0 0 0 2.5 10S5 15 10 15c1.2 0 2.3-.3 3.2-.7',
);
export const WarningIcon = lines('M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.3v.01');
export const RotateIcon = lines('M15.5 8A6 6 0 0 0 4.6 7.4M4.5 4v3.5H8M4.5 12a6 6 0 0 0 10.9.6M15.5 16v-3.5H12');
export const TrashIcon = lines('M4 6h12M8 6V4h4v2M5.5 6l.7 10.5h7.6L14.5 6M8.5 9v4.5M11.5 9v4.5');
export const ChevronRightIcon = lines('M8 5.5 12.5 10 8 14.5');
export const ChevronDownIcon = lines('M5.5 8 10 12.5 14.5 8');
export const MoreIcon = lines('M5 10h.01M10 10h.01M15 10h.01');
export const HistoryIcon = lines('M4.5 4v3.5H8M4.6 7.4A6 6 0 1 1 4 10M10 7v3.5l2.5 1.5');
export const CodeIcon = lines('M7 6 3 10l4 4M13 6l4 4-4 4');
export const ExternalIcon = lines('M11 4.5h4.5V9M15.5 4.5 9.5 10.5M13.5 11.5v4h-9v-9h4');
export const ChatIcon = lines('M4 4.5h12v9H9.5L6 16.5v-3H4zM7 8h6M7 10.5h4');
export const CallIcon = lines(
  'M6.5 3.5 8.3 7 6.8 8.5c.8 1.8 2.4 3.6 4.6 4.7l1.6-1.5 3.5 1.8c-.2 2-1.3 3-3 3C8.3 16.5 3.5 11.3 3.5 6.6c0-1.8 1-2.9 3-3.1z',
);
/** The keys of a phone. */
export const NumberIcon = lines(
  'M5 4.5h.01M10 4.5h.01M15 4.5h.01M5 8.5h.01M10 8.5h.01M15 8.5h.01M5 12.5h.01M10 12.5h.01M15 12.5h.01M10 16.5h.01',
);
export const SecretIcon = lines('M4 5.5h12v9H4zM6.7 10h.01M10 10h.01M13.3 10h.01');
export const SendIcon = lines('M4 10h11M10.5 5.5 15 10l-4.5 4.5');
export const PlayIcon = lines('M6.5 4.5v11l9-5.5z');
export const PauseIcon = lines('M7 5v10M13 5v10');
export const DownloadIcon = lines('M10 4v8.5M6.5 9.5 10 13l3.5-3.5M4.5 16h11');
export const FilterIcon = lines('M3.5 5.5h13M6 10h8M8.5 14.5h3');
export const MicrophoneIcon = lines(
  'M10 2.5a2.5 2.5 0 0 1 2.5 2.5v4a2.5 2.5 0 0 1-5 0V5A2.5 2.5 0 0 1 10 2.5zM4.5 9a5.5 5.5 0 0 0 11 0M10 14.5v3',
);
export const MicrophoneOffIcon = lines(
  'M7.5 7.5V9a2.5 2.5 0 0 0 4 2M12.5 8.5V5a2.5 2.5 0 0 0-4.6-1.3M4.5 9a5.5 5.5 0 0 0 9 4.2M15.5 9a5.5 5.5 0 0 1-.7 2.6M10 14.5v3M3.5 2.5l13 14',
);
export const WebhookIcon = lines(
  'M8.6 7.7 5.8 12.6M10 3.5a2.7 2.7 0 0 1 1.5 4.9l2.9 4.6M4.8 12.4a2.7 2.7 0 1 0 3 3.1h5.6M13 12.7a2.7 2.7 0 1 1 1.6 4.8M8.6 7.7A2.7 2.7 0 0 1 10 3.5',
);
export const WorkflowIcon = lines('M4 3.5h5v4H4zM11 12.5h5v4h-5zM6.5 7.5v7H11M6.5 10.5h7v2');
export const ArrowUpIcon = lines('M10 15.5v-11M5.5 9 10 4.5 14.5 9');
export const ArrowDownIcon = lines('M10 4.5v11M5.5 11l4.5 4.5 4.5-4.5');
export const StopIcon = lines('M5.5 5.5h9v9h-9z');
export const ProviderIcon = lines('M7 3.5v3.5M13 3.5v3.5M5 7h10v3a5 5 0 0 1-10 0zM10 15v2');
export const PriceIcon = lines(
  'M10 4.5v11M13 7.2c-.5-1-1.6-1.5-3-1.5-1.7 0-3 .8-3 2.1 0 3 6.2 1.3 6.2 4.3 0 1.4-1.4 2.2-3.2 2.2-1.6 0-2.8-.6-3.3-1.7',
);
export const ServiceIcon = lines('M3 10.5h3.2L8.5 5l3.5 10 2-4.5h3');
