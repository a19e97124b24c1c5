-- The numbers of archived parts. Unlike the rows of event_archives, a number stays used if a run fails: the run may still write the files
-- of its part when another run has replaced it.
CREATE SEQUENCE event_archive_part_numbers AS integer;
