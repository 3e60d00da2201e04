/** In air where the coarse weather of the tests lets contrails last. */
export const FLIGHT_CSV = `time,longitude,latitude,altitude,aircraft_type
2024-02-29T06:46Z,-71.72,30.92,31000,A320
2024-02-29T06:48Z,-71.36,30.96,31000,A320
2024-02-29T06:50Z,-71,31,31000,A320
2024-02-29T06:52Z,-70.64,31.04,31000,A320
2024-02-29T06:54Z,-70.28,31.08,31000,A320
`;
